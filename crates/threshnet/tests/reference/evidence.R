# What R says of the rows on stdin, for evidence.py: a name and its numbers per line.
#   binary     slope and intercept of rms, ICI, E50 and E90 of loess, AUCs and their difference of pROC
#   smooth     ICI, E50 and E90 of loess with weights (rows of weight 0 have no part in the curve)
#   versions
suppressMessages({library(rms); library(pROC)})
what <- commandArgs(TRUE)[1]
say <- function(name, ...) cat(name, sprintf("%.17g", c(...)), "\n")
if (what == "versions") {
  cat(sprintf("R=%s rms=%s pROC=%s", getRversion(), packageVersion("rms"), packageVersion("pROC")))
  quit()
}
d <- read.csv(file("stdin"), check.names = FALSE)
weights <- if (is.null(d$w)) rep(1, nrow(d)) else d$w
direct <- loess.control(surface = "direct")
near <- d[weights > 0, ]
near$w <- weights[weights > 0]
curve <- loess(y ~ p, near, weights = w, control = direct)
distance <- abs(predict(curve, d) - d$p)
say("smooth", mean(distance), quantile(distance, c(0.5, 0.9)))
if (what == "binary") {
  found <- val.prob(d$p, d$y, pl = FALSE)
  say("rms", found["Intercept"], found["Slope"])
  first <- roc(d$y, d$p, direction = "<", quiet = TRUE)
  second <- roc(d$y, d$q, direction = "<", quiet = TRUE)
  test <- roc.test(first, second, method = "delong", paired = TRUE)
  say("delong", ci.auc(first, method = "delong"))
  say("delong_test", test$estimate, test$p.value)
  say("delong_ci", test$conf.int)
}
