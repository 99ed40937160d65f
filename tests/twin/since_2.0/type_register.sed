# That a function declines is an error of H5Tregister.
/^H5Tregister\(H5T_PERS_SOFT, "declines", /{
n
n
d
}
