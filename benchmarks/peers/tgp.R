# One Bayesian CART run of tgp: Rscript tgp.R TABLE.bin N_ROWS N_MOVES SEED
# The table is doubles, column by column; the last is the response. Prints the seconds of CPU of the run and the megabytes at its peak.
suppressMessages(library(tgp))
arguments <- commandArgs(trailingOnly = TRUE)
n_rows <- as.integer(arguments[2])
table <- matrix(readBin(arguments[1], "double", file.size(arguments[1]) / 8), nrow = n_rows)
n_moves <- as.integer(arguments[3])
set.seed(as.integer(arguments[4]))
response <- ncol(table)
X <- table[, -response, drop = FALSE]
begin <- proc.time()
invisible(bcart(X, table[, response], BTE = c(0, n_moves, n_moves), R = 1, m0r1 = FALSE,
                pred.n = FALSE, krige = FALSE, verb = 0))
used <- proc.time() - begin
status <- readLines("/proc/self/status")
peak <- as.numeric(sub("[^0-9]*([0-9]+).*", "\\1", grep("^VmHWM", status, value = TRUE))) / 1000
cat("\nmeasured", sum(used[c("user.self", "sys.self")]), peak, "\n")
