# runit.R PACKAGE: the RUnit tests in the package's folder unitTests, a line `outcome<tab>name` for each.
package <- commandArgs(TRUE)[1]
suppressMessages({library(RUnit); library(package, character.only = TRUE)})
folder <- system.file("unitTests", package = package)
suite <- defineTestSuite(package, folder, testFileRegexp = "^test.*[.]R$", rngKind = "default", rngNormalKind = "default")
files <- runTestSuite(suite, verbose = 0)[[package]]$sourceFileResults
for (file in names(files)) {
  for (name in names(files[[file]])) {
    kind <- files[[file]][[name]]$kind
    outcome <- c(success = "passed", failure = "failed", error = "error", deactivated = "skipped")[kind]
    cat(outcome, "\t", basename(file), ": ", name, "\n", sep = "")
  }
}
