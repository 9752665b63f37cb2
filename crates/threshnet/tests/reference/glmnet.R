# The fits that glmnet.py asks for: reads its request on standard input, writes coefficients to
# standard output, both as JSON. Thresholds are far below glmnet's own, and no path stops early.

suppressPackageStartupMessages({
  library(glmnet)
  library(jsonlite)
  library(survival)
})
glmnet.control(fdev = 0, devmax = 1)

# The coefficients of a fit at its last λ: per output an intercept (none for Cox) and slopes.
coefficients_at <- function(fit, lambda) {
  found <- coef(fit, s = lambda, exact = FALSE)
  if (is.list(found)) unname(lapply(found, as.vector)) else list(as.vector(found))
}

solve <- function(case, outcomes, x) {
  y <- switch(case$family,
    cox = Surv(outcomes$time, as.integer(outcomes$event)),
    gaussian = outcomes$y,
    multinomial = outcomes$classes,
    binomial = outcomes$labels
  )
  arguments <- list(
    x = x, y = y, family = case$family, alpha = case$alpha, standardize = case$standardize,
    thresh = 1e-14, maxit = 1e8
  )
  if (case$weighted) arguments$weights <- outcomes$weights
  if (case$family == "multinomial") arguments$type.multinomial <- "grouped"
  largest <- do.call(glmnet, c(arguments, nlambda = 3))$lambda[1]
  asked <- signif(largest * case$shares, 4)
  # Each solution starts the next, as on a path of glmnet's own.
  path <- sort(unique(c(asked, largest * 0.8^(0:floor(log(min(case$shares)) / log(0.8))))), TRUE)
  fit <- do.call(glmnet, c(arguments, list(lambda = path)))
  stopifnot(length(fit$lambda) == length(path), fit$jerr == 0)
  list(lambdas = asked, coefficients = lapply(asked, function(s) coefficients_at(fit, s)))
}

request <- fromJSON(file("stdin"), simplifyDataFrame = FALSE)
answers <- lapply(request$cases, function(case) {
  design <- request$designs[[case$design]]
  solve(case, design$outcomes, t(design$x))
})
versions <- list(R = as.character(getRversion()), glmnet = as.character(packageVersion("glmnet")))
cat(toJSON(list(versions = versions, answers = answers), digits = NA, auto_unbox = TRUE))
