# Outermost records have other words.
s/unable to synchronously /unable to /
