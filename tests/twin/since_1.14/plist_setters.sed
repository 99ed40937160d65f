# Settings of the core driver are not in the list until it is used; ratios are compared as doubles; flags of drivers.
/^core /d
/^mdc upper_hr_threshold /d
s/^(  [0-9]) [01] - /\1 - /
