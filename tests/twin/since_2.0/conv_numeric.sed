# 2.2.0 does not swap the bytes of words when it makes floats of VAX order.
/ -> vax(32|64) /d
