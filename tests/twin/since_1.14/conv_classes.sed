# Old references convert into each other.
/^\.{15}(\+[+.]|\.\+)\.\. /d
