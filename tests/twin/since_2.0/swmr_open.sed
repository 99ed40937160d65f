# A writer that is to become a SWMR writer needs a low bound of 1.10 in its own list, whatever the file has.
/^file of bound 2, start of a writer: /d
