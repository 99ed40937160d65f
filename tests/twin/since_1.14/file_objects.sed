# Datatypes in no file count, locked or not; the locked one is listed, too.
/^(one is locked|ids 3|ids 2|with a file|only the locked one): /d
