% octave_values.m save|load FOLDER, octave_values.m FIRST foreign FOLDER: values of every kind that Octave saves. `load` prints them and tells whether they
% are what was saved; each value has a file, and all are in one file too. `foreign` prints what Octave makes of other files.
1;

function v = values ()
  v.scalar = pi;
  v.negative_zero = -0;
  v.matrix = [1.5 -2 3e300; NaN Inf -Inf];
  v.row = single (1:5) / 3;
  v.column = (1:70)';
  v.large = reshape (mod (0:59999, 251), 300, 200);
  v.cube = reshape (1:24, 2, 3, 4);
  v.five = reshape (single (1:48), 2, 3, 2, 2, 2);
  v.complex_scalar = 3 - 4i;
  v.complex_matrix = [1+2i 3; 4 5-6i];
  v.complex_single = single ([1+2i; 3]);
  v.complex_cube = reshape ((1:8) * 1i, 2, 2, 2);
  for kind = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"}
    k = kind{1};
    v.(k) = [intmin(k) intmax(k); cast(1, k) cast(2, k)];
    v.([k "_scalar"]) = intmax (k);
    v.([k "_cube"]) = cast (reshape (1:8, 2, 2, 2), k);
  endfor
  v.yes = true;
  v.mask = [true false; false true];
  v.mask_cube = reshape (mod (1:12, 2) == 0, 2, 3, 2);
  v.range = 0:0.25:5;
  v.descending = 10:-3:-10;
  v.empty_range = 1:0;
  v.empty = [];
  v.empty_rows = zeros (0, 5);
  v.empty_cube = zeros (2, 0, 3);
  v.empty_single = single ([]);
  v.empty_int = int16 ([]);
  v.empty_bool = logical ([]);
  v.string = "a text";
  v.quoted = 'single quotes\n';
  v.empty_string = "";
  v.lines = ["one  "; "three"; "     "];
  v.bytes = char (0:255);
  v.utf8 = "snow ☃ ünï";
  v.char_cube = reshape ("abcdefgh", 2, 2, 2);
  v.cell = {1, "two", [3 4 5]; {6, {7}}, [], int8(9)};
  v.empty_cell = {};
  v.cell_column = cell (3, 1);
  v.cell_cube = reshape (num2cell (1:8), 2, 2, 2);
  v.struct = struct ("a", 1, "b", "text", "c", {{1, 2}});
  v.nested.deep.deeper.deepest = magic (3);
  v.struct_array = struct ("x", {1, "two", [3 3 3]});
  v.empty_struct = struct ();
  v.no_structs = struct ("x", {});
  v.long_names.(repmat ("n", 1, 60)) = 1;
  v.sparse = sparse ([1 3 3], [1 2 4], [1.5 -2 3], 4, 5);
  v.sparse_complex = sparse ([1 2], [2 1], [1i 2]);
  v.sparse_bool = sparse ([1 3], [1 1], [true true], 3, 2);
  v.sparse_empty = sparse (4, 3);
  v.sparse_large = sparse (1:1000, mod ((1:1000) * 7, 500) + 1, 1:1000);
  v.diagonal = diag ([1 2 3]);
  v.complex_diagonal = diag ([1i 2]);
  v.single_diagonal = diag (single ([1 2]));
  v.permutation = eye (4)([2 4 1 3], :);
  v.inline_handle = @(x, y) x .^ 2 + y;
  v.handle = @sin;
  v.missing = NA;
  v.lazy_index = find ([0 1 0 1]);
  v.many = num2cell (1:300);
endfunction

function ok = same (a, b)
  if (is_function_handle (a))
    ok = is_function_handle (b) && strcmp (func2str (a), func2str (b));
  else
    ok = strcmp (class (a), class (b)) && isequaln (size (a), size (b)) && isequaln (a, b);
  endif
endfunction

function attempt (name, what)
  try
    what ();
  catch problem
    printf ("%s: error: %s\n", name, problem.message);
  end_try_catch
endfunction

function save_one (folder, name, value, how)
  % Saved from a variable of this function, under its own name.
  eval ([name " = value;"]);
  save ("-hdf5", how{:}, fullfile (folder, [name ".h5"]), name);
endfunction

function save_floats (folder)
  floats = magic (5) / 3;
  save ("-float-hdf5", fullfile (folder, "floats.h5"), "floats");
endfunction

function save_all (folder, v)
  for [value, name] = v
    attempt (name, @() save_one (folder, name, value, {}));
  endfor
  save_one (folder, "zipped", magic (50), {"-zip"});
  attempt ("floats", @() save_floats (folder));
  % Octave itself cannot save these.
  v = rmfield (v, "complex_single");
  save ("-hdf5", fullfile (folder, "all.h5"), "-struct", "v");
endfunction

function load_one (folder, name, value)
  got = load ("-hdf5", fullfile (folder, [name ".h5"])).(name);
  printf ("%s: %s %s %s same %d\n", name, class (got), mat2str (size (got)), typeinfo (got), same (value, got));
  disp (got);
endfunction

function load_all (folder, v)
  for [value, name] = v
    attempt (name, @() load_one (folder, name, value));
  endfor
  all = load (fullfile (folder, "all.h5"));
  printf ("all: %s\n", strjoin (fieldnames (all)', " "));
  for [value, name] = v
    if (! isfield (all, name) || ! same (value, all.(name)))
      printf ("all: %s is another\n", name);
    endif
  endfor
  some = load (fullfile (folder, "all.h5"), "matrix", "struct*");
  printf ("some: %s\n", strjoin (fieldnames (some)', " "));
  attempt ("zipped", @() disp (load (fullfile (folder, "zipped.h5"))));
  attempt ("floats", @() disp (load (fullfile (folder, "floats.h5"))));
endfunction

function foreign_all (folder, first)
  names = sort ({dir(fullfile (folder, "*.h5")).name});
  for at = find (strcmp (names, first)):numel (names)
    name = names{at};
    printf ("file %s\n", name);
    attempt (name, @() disp (load ("-hdf5", fullfile (folder, name))));
    fflush (stdout);
  endfor
  puts ("end of foreign files\n");
endfunction

given = argv ();
folder = given{end};
switch (given{end - 1})
  case "save"
    save_all (folder, values ());
  case "load"
    load_all (folder, values ());
  case "foreign"
    foreign_all (folder, given{1});
endswitch
