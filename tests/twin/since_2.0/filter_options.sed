# A checksum that does not match is an error, whatever the callback says.
/^read, checksum, mode 2: /d
