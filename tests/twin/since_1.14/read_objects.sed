# Sizes of committed types may be set.
/^ *committed 1 size /d
