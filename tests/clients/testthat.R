# testthat.R PACKAGE: the package's tests as Debian ships them, a line `outcome<tab>name` for each. A file of tests is a
# process of its own, so that one that dies leaves the others.
package <- commandArgs(TRUE)[1]
arguments <- commandArgs(FALSE)
self <- sub("--file=", "", grep("--file=", arguments, value = TRUE))
if (length(commandArgs(TRUE)) == 1) {
  shipped <- Sys.glob(sprintf("/usr/share/doc/r-*-%s/tests", tolower(package)))[1]
  system2("cp", c("-r", shipped, "."))
  system2("gunzip", c("-rf", "tests"))
  for (file in list.files("tests/testthat", "^test.*[.]R$")) {
    status <- system2("Rscript", c(self, package, file))
    if (status != 0) cat("error\t", file, " ends\n", sep = "")
  }
} else {
  suppressMessages({library(testthat); library(package, character.only = TRUE)})
  file <- commandArgs(TRUE)[2]
  results <- as.data.frame(test_file(file.path("tests/testthat", file), reporter = "silent", package = package))
  outcome <- ifelse(results$error, "error", ifelse(results$failed > 0, "failed", ifelse(results$skipped, "skipped", "passed")))
  cat(sprintf("%s\t%s: %s (%d checks)\n", outcome, file, gsub("\n", " ", results$test), results$nb), sep = "")
}
