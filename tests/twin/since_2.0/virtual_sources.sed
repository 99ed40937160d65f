# Only a source whose last link is missing or leads nowhere counts as one that is not there.
/^(source\.h5|\.), (none\/none|group|loop): v: /d
