# glmnet's side of bench/linear.py: cv.glmnet, which traces the path on all rows and on those of
# each fold.
#
# Rscript glmnet.R KIND FOLDER LAMBDAS TOLERANCE
#
# reads what cells.py writes, writes glmnet.bin (for each λ the weights and a bias, 64-bit floats)
# and prints JSON.

suppressPackageStartupMessages({
  library(glmnet)
  library(survival)
})
arguments <- commandArgs(TRUE)
kind <- arguments[1]
folder <- arguments[2]
tolerance <- as.numeric(arguments[4])

# A file of 64-bit floats as NumPy writes it, without its header.
numbers <- function(path) {
  file <- file(path, "rb")
  on.exit(close(file))
  readBin(file, "raw", 8)
  readBin(file, "raw", readBin(file, "integer", 1, size = 2, signed = FALSE))
  readBin(file, "double", file.size(path) / 8)
}
of <- function(name) numbers(file.path(folder, paste0(name, ".npy")))

y <- of("y")
x <- matrix(of("x"), nrow = length(y))
lambdas <- numbers(arguments[3])
if (kind == "squared") lambdas <- lambdas / 2
if (kind == "cox") {
  event <- of("event")
  lambdas <- lambdas * sum(event) / length(event)
  y <- Surv(y, event)
}
family <- c(squared = "gaussian", logistic = "binomial", cox = "cox")[[kind]]
# Without these it ends a path before its last λ.
glmnet.control(fdev = 0, devmax = 1)
taken <- system.time(
  fit <- cv.glmnet(
    x, y,
    family = family, lambda = lambdas, foldid = of("folds") + 1, standardize = FALSE,
    thresh = tolerance, maxit = 1e7
  )
)
path <- as.matrix(coef(fit$glmnet.fit))
if (kind == "cox") path <- rbind(0, path)
if (ncol(path) < length(lambdas) || fit$glmnet.fit$jerr != 0) {
  stop(sprintf("its path ends at the %dth lambda", ncol(path)))
}
file <- file(file.path(folder, "glmnet.bin"), "wb")
writeBin(as.vector(path[c(2:nrow(path), 1), ]), file)
close(file)
cat(sprintf(
  '{"seconds": %.6f, "processor_seconds": %.6f, "versions": {"R": "%s", "glmnet": "%s"}}\n',
  taken[["elapsed"]], taken[["user.self"]] + taken[["sys.self"]],
  getRversion(), packageVersion("glmnet")
))
