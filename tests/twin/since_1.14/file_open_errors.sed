# A superblock that says 0 in reserved bytes is demanded.
/^group_old_9links.h5 byte 2[123]: /d
