-- Makes the tables what they are in steady use: seen as all visible, with statistics.
vacuum (analyze)
