# The size of an image may be asked for with an empty buffer; free space of a file is told.
s/ and nothing -?[0-9]+$//
/^ *type [01]: /d
/^sections without room: /d
