! Debian's Fortran binding: a file with groups, a dataset with filters, attributes and strings; its order of dimensions.
program bindings
  use hdf5
  implicit none
  integer(hid_t) :: file, group, space, dset, list, attr, text
  integer(hsize_t) :: dims(2) = [6, 4], chunk(2) = [3, 2], one(1) = [1], got(2), most(2)
  integer :: error, i, j, n_members, stored, kind, n
  integer :: values(6, 4), back(6, 4)
  real(8) :: weights(6, 4)
  character(len=10) :: units
  character(len=64) :: name
  character(len=255) :: what, path

  call get_command_argument(1, what)
  call get_command_argument(2, path)
  call h5open_f(error)
  if (what == "make") then
    values = reshape([(i * i, i = 1, 24)], [6, 4])
    call h5fcreate_f(trim(path), H5F_ACC_TRUNC_F, file, error)
    call h5gcreate_f(file, "group", group, error)
    call h5screate_simple_f(2, dims, space, error)
    call h5pcreate_f(H5P_DATASET_CREATE_F, list, error)
    call h5pset_chunk_f(list, 2, chunk, error)
    call h5pset_deflate_f(list, 6, error)
    call h5dcreate_f(group, "values", H5T_STD_I16BE, space, dset, error, list)
    call h5dwrite_f(dset, H5T_NATIVE_INTEGER, values, dims, error)
    call h5sclose_f(space, error)
    call h5screate_f(H5S_SCALAR_F, space, error)
    call h5tcopy_f(H5T_NATIVE_CHARACTER, text, error)
    call h5tset_size_f(text, 10_size_t, error)
    call h5acreate_f(dset, "units", text, space, attr, error)
    call h5awrite_f(attr, text, "metres    ", one, error)
    call h5aclose_f(attr, error)
    call h5dclose_f(dset, error)
    call h5sclose_f(space, error)
    call h5screate_simple_f(2, dims, space, error)
    call h5dcreate_f(file, "weights", H5T_IEEE_F64LE, space, dset, error)
    weights = values / 8d0
    call h5dwrite_f(dset, H5T_NATIVE_DOUBLE, weights, dims, error)
    call h5dclose_f(dset, error)
    call h5gclose_f(group, error)
    call h5fclose_f(file, error)
  else
    call h5fopen_f(trim(path), H5F_ACC_RDONLY_F, file, error)
    call h5gn_members_f(file, "/", n_members, error)
    do i = 0, n_members - 1
      call h5gget_obj_info_idx_f(file, "/", i, name, kind, error)
      print *, trim(name), kind
    end do
    call h5dopen_f(file, "group/values", dset, error)
    call h5dget_space_f(dset, space, error)
    call h5sget_simple_extent_dims_f(space, got, most, n)
    print *, n, got, most
    call h5dread_f(dset, H5T_NATIVE_INTEGER, back, dims, error)
    print *, ((back(i, j), i = 1, 6), j = 1, 4)
    call h5aopen_f(dset, "units", attr, error)
    call h5aget_type_f(attr, text, error)
    call h5aread_f(attr, text, units, one, error)
    print *, units
    call h5dget_create_plist_f(dset, list, error)
    call h5pget_nfilters_f(list, stored, error)
    print *, stored
    call h5dclose_f(dset, error)
    call h5dopen_f(file, "weights", dset, error)
    call h5dread_f(dset, H5T_NATIVE_DOUBLE, weights, dims, error)
    print *, sum(weights)
    call h5dclose_f(dset, error)
    call h5fclose_f(file, error)
  end if
  call h5close_f(error)
end program bindings
