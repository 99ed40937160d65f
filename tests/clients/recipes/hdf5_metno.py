"""hdf5-metno: the Rust binding."""

from kit import Cargo

LZF = "the test wants lzf to be absent; the library has it itself"

CLIENT = Cargo("hdf5-metno", "0.15.1", explained={
    "hl::filters::tests::test_filter_pipeline": LZF,
    "error::tests::test_error_stack": "the test wants the name of a private function of libhdf5 in an inner error record",
    "hl::file::tests::test_flush": "a new file is on disk at once, so its size does not grow with the first flush",
    "hl::group::tests::test_group_info": "new groups are compact, not symbol tables",
})
