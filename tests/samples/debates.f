le député demande si la route sera réparée cette année .
nous ne voterons pas aujourd’hui , madame la présidente .
