# Asking whether a link is there follows it once more.
/^ *(callback|traverse) /d
