-- Folds seconds that nobody draws any more into the totals. See tekil.fold_flow.
select tekil.fold_flow($1)
