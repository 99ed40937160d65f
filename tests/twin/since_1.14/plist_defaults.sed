# Properties have come and gone. Reals have the values of doubles, which 1.10 has as those of floats.
/(vfd_info|bkgr_buf); /d
/^(file access|dataset xfer): (encode|class)/d
/^(core|mdc|ratios) /d
