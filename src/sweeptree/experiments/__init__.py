"""The paper's tables and figures made anew, and what the paper does not have.

Units of work (`plan`) run on threads and are kept as they finish (`parts`, `running`). What they
found is summed up (`results`), laid out as tables (`tables`) and figures (`figures`), and told in
words (`report`). `reproduce` does all of it; `strategies` compares strategies on any table.
"""
