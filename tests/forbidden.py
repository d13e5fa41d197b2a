"""Patterns and names that a reader would have to translate, each with the standard term."""

from types import MappingProxyType

WHOLE = r"(?:second|minute|hour|token|word|character|sentence|line|pair|step|update|layer|head|pass|batch|run|row|text)"
UNIT = r"(?:nats?|bits|bytes|tokens|words|characters|sentences|lines|pairs|steps|updates|rows|numbers|FLOPs|operations)"

# Patterns ignore case, except inside `(?-i:...)`. Numbers in a comment are rows of the table of words.
FORBIDDEN: tuple[tuple[str, str], ...] = (
    # What a search, a tokenizer and a filter do.
    (r"\blet(?:s|ting)? go\b", "pruned"),  # 1
    (r"\bwhat (?:ended|finished)\b", "finished hypotheses"),  # 2
    (
        r"\bcut(?:s|ting)?\b(?!-?off)",
        "tokenize (a text), truncate (a length), threshold (of a filter)",
    ),  # 3, 4
    (r"(?<!leave )(?<!left )\bblank(?:s|ed)?\b(?! lines?\b)", "space"),  # 5
    (
        r"(?<!minus )(?<!plus )(?<!dollar )\bsigns\b(?! (?:in|up|out|of)\b)|\bsign by sign\b",
        "characters",
    ),  # 6
    (
        rf"\b{UNIT} an? (?:source |target |output |newest )?{WHOLE}\b(?! (?:has|can|may|is)\b)",
        "per: nats per token",
    ),  # 7
    (rf"(?:\{{\}}|\b(?:once|\d+)) an? (?:second|minute|{WHOLE})\b", "per"),  # 7
    (
        r"\b(?:a|one) (?:row|bar|curve|column|cell|point|tick|tab|box) an? (?!time\b)\w+",
        "one ... per ...",
    ),  # 7
    (
        r"(?<!in )(?<!take )(?<!takes )(?<!took )(?<!its )(?<!their )(?<!decimal )(?<!first )(?<![._])"
        r"\bplaces?\b(?! ?=)",
        "position (in a sequence), rank (in a list), page or field (on a screen)",
    ),  # 8
    (
        r"\b(?:they|the two|both|these|texts) part\b|\bparts? (?:at(?! (?:a|most|least)\b)|ways)\b|\bparting\b",
        "first differ at",
    ),  # 9
    (r"\bby heart\b", "memorize, memorized"),  # 10
    (
        r"\b(?:kept|built-in|small|run's|run’s|generated|visitor's) texts?\b",
        "dataset; saved dataset",
    ),  # 11
    (r"\bundisturbed\b|\bwith the bits of\b", "bit-identical to an uninterrupted run"),  # 12
    (r"\brulers?\b", "truncation inspector"),  # 13
    (
        r"\bmachines? taken apart\b|\b(?:whole|two|other) machines?\b|\bmachine of these\b|\bmachine, as\b"
        r"|\b(?:drawing|picture|parts?|boxes|sizes) of (?:the|a|one|this) machine\b|\bthrough the machine\b",
        "the model",
    ),  # 14
    (
        r"\bparts? of (?:the|a|this|its) (?:model|machine|transformer|encoder|decoder|layer)s?\b",
        "module, component",
    ),  # 15
    (r"\blooking alone\b", "attention scores and weighted sums"),  # 16
    (r"\bkept while training\b|\bkept for training\b", "saved activations"),  # 17
    (r"\b(?:all|everything) else as it (?:is|was)\b", "all else equal"),  # 18
    (r"\bfilms?\b", "animation over training steps"),  # 19
    (r"\bin force\b", "active interventions"),  # 20
    (
        r"\bmov(?:e|es|ed|ing) attention\b|\battention (?:can be|is|was) moved\b",
        "override attention; intervene",
    ),  # 21
    (
        r"\bwhere (?:it|the model|each \w+|every \w+|he|they) look(?:s|ed)?\b",
        "what it attends to, attention",
    ),  # 22
    (r"\btwins?\b", "control run; baseline run with the same seed"),  # 23
    (
        r"\bstart(?:s|ed|ing)? from (?:a|another|that|this|its) (?:other )?run\b",
        "fine-tune from, initialize from",
    ),  # 24
    (r"\bstarted from\b(?! (?:scratch|zero|the\b|an?\b))", "initialized from"),  # 24
    (
        r"(?<!what )\b(?:go|goes|going|gone|went) on\b",
        "continue (more steps), resume (after a stop)",
    ),  # 25
    (r"\blikeness(?:es)?\b", "similarity"),  # 26
    (
        r"\b(?:most|more|less|least|how|equally|very|so|becomes?|became|as) alike\b|\bits likes\b",
        "similar",
    ),  # 26
    (r"(?-i:\bHints?\b)|\bor hints\b|\bhints of\b", "quality flags"),  # 27
    (r"\bnew company\b", "unseen combinations"),  # 28
    (r"\bstraight way\b", "the diagonal"),  # 29
    (r"\btenfold\b", "each decade (log scale)"),  # 30
    (
        r"(?<!two )(?<!in )\bdifferent words\b|\brunning words\b",
        "distinct words (types); word tokens",
    ),  # 31
    (r"\brank(?:s|ed|ing)? first\b", "top-1 accuracy, most probable"),  # 32
    (
        r"\bturned\b(?! (?:off|on|into|out|up|down)\b)|\b(?:one|same|a) turn (?:of|leads|is)\b",
        "rotated; transposed",
    ),  # 33
    (r"\bpieces?\b", "tokens, subwords"),  # 34
    (r"\bdrafts?\b(?! model)", "upload (not saved yet)"),  # 35
    (
        r"(?<!case )(?<!ablation )(?<!user )\bstud(?:y|ies)\b",
        "dataset profile, profiling job",
    ),  # 36
    (r"\bslip(?:s|ped)?\b", "line misalignment"),  # 37
    (
        r"\btongues?\b|\btellings\b|\ba telling\b|\bstories\b",
        "language; templates; generated tasks",
    ),  # 38
    (r"\bmeter(?:s|ed|ing)?\b", "budget, charge"),  # 39
    (r"\bnursery\b|\bnewborns?\b", "fork server, child handle"),  # 40
    (r"\bdesks?\b", "job context"),  # 41
    (r"\bwishes\b", "control requests"),  # 42
    (r"\bthe board\b", "run service"),  # 43
    (
        r"\blets? (?:\w+ )?expect\b|\b(?:the|a|this|no) band\b(?! along)",
        "expected; prediction interval",
    ),  # 45
    (r"\bpaces?\b", "throughput, speed"),  # 46
    (r"\bjobs? endings?\b|\bhow a job ended\b", "stop reason"),  # 47
    (r"\bfollowers?\b", "non-zero rank"),  # 48
    (r"\brulebook\b", "logits processors"),  # 49
    (r"(?-i:\bHeat\b)(?!map)", "temperature"),  # 50
    (r"\bnormali[sz]ers?\b", "logsumexp"),  # 53
    (r"\blaid out flat\b", "fused inference model"),  # 54
    (r"\bdissect(?:s|ed|ing)?\b|\banatomy\b", "forward trace"),  # 60
    (r"\bsteer(?:s|ed|ing)?\b", "intervene (attention), control (a training run)"),  # 61
    (r"\bshelf\b|\bdeeds?\b", "run table; run actions"),  # 62
    (r"\bin the mean\b|\btakes? the mean\b", "on average; averages"),  # 64
    (r"\bhang(?:s|ing)? (?:up)?on\b", "depends on"),  # 65
    (r"\bshall differ\b", "settings to override"),  # 66
    (
        r"\bthe usual(?= *(?:[.,;:!?)]|$|one))|\busual (?:values?|settings?|ones?|numbers?)\b",
        "default",
    ),  # 66
    (r"\bwavers?\b|\bamong how many\b", "effective number of choices, exp(loss)"),  # 67
    (
        r"\bsame in numbers\b|\bnumbers \(CSV\)|\bin numbers\b",
        "download data (CSV); as a table",
    ),  # 68
    (r"\blines that do it\b|\blines of our own source\b", "source code"),  # 69
    (r"\b(?:take|takes|took|taken|taking) (?:\w+ ){0,3}away\b", "export, download"),  # 70
    (r"\bknobs?\b", "setting"),
    # Sentences that readers stumbled over.
    (
        r"(?<!idea )(?<!reason )(?<!left )(?<!fall )(?<!falls )(?<!lags )"
        r"\bbehind\b(?! (?:a|the|an|another) (?:\w+ )?(?:proxy|click|login|button|firewall)\b)",
        "after (in a sequence), in an expander (on a page)",
    ),
    (
        r"\bof all (?:it|that it) could have\b|\bputs? (?:\{\}|\d+) ?% on\b",
        "gives ... a probability of",
    ),
    (r"\bwhat the model makes (?:below )?of\b", "the translation of"),
    (r"\b(?:come|comes|came) nearest\b", "match best"),
    (r"\bcould stand\b", "candidates for"),
    (r"\bknow(?:s|n)? to be right\b", "correct"),
    (r"\bover length\s?\^", "/ length^"),
    (r"\bof all up to it\b", "of everything so far"),
    (r"\btexts win\b|\bfurther up\b", "favors short outputs; larger values"),
    (r"\bdrown\b", "dominate"),
    (r"\bother for each\b", "different for each"),
    (r"\bchange its mind\b", "gradients become too small to learn from"),
    (r"\bmakes? 0 of\b", "sets to 0"),
    (r"\bclosed half\b", "masked half"),
    (
        r"\bgradient arrives\b|\bset out at the end\b",
        "1 means the same size as at the decoder's output",
    ),
    (r"\bholds for\b(?= how| the| more| most| less)", "finds"),
    (r"\bmoved the weights\b|\bmoves the weights\b", "scales each update"),
    (r"\blook(?:s|ed|ing)? again\b", "refresh"),
    (r"\banew\b", "again, recomputed"),
    (r"\ball the same\b", "anyway, still"),
    (r"\bfor good\b(?! (?:measure|reasons?))", "permanently"),
    (r"\bin the median\b", "median length, median of"),
    (r"\bthose there are\b", "the existing ones, yours"),
    (r"\btold apart\b|\btell apart\b", "distinguished, distinguishable"),
    (r"\b(?:made|makes?|told) to look (?:at|there)\b|\bhead looks at\b", "attends to"),
    (r"\bten thousands of\b|\bsome dozen\b", "tens of thousands of; a few dozen"),
    (r"\bit only tells\b", "is listed, not replayed"),
    (r"\bof fewer than\b", "fewer than"),
    (r"\b(?:rule|rules|it|they|each) hits?\b(?! the (?:limit|cap))", "matches"),
    (
        r"\bthe first so many\b|\bso many (?:rows|tokens|characters|words|lines|texts|pairs|lines|of)\b",
        "this many",
    ),
    (r"\bdraw the handles\b", "drag the handles to zoom"),
    (r"\bsense emerges?\b", "improves before BLEU does"),
    (r"\bbackwards? lines\b", "reverse"),
    (r"\bthinks? over\b", "is transformed by the feed-forward"),
    (r"\blikeliest\b", "most probable"),
    (r"\bby itself now\b|\beverywhere alike\b", "uniformly"),
    # American spelling, one spelling a word.
    (r"\bdata sets?\b", "dataset"),
    (r"\bfor ever\b|\bper cent\b|\bwarm-ups?\b", "forever, percent, warmup"),
    (r"\b(?:dis)?colour\w*", "color"),
    (r"\b\w*neighbour\w*", "neighbor"),
    (
        r"\b\w*behaviour\w*|\b(?:un)?favour\w*|\bhonour\w*|\blabour\w*|\brigour\b|\bvigour\b|\bflavour\w*",
        "-or",
    ),
    (
        r"\b(?:de|re|un|pre)?(?:token|normal|optim|initial|general|summar|visual|regular|factor|vector|serial|random|penal|recogn|real"
        r"|minim|maxim|parameter|parametr|quant|memor|organ|local|final|categor|standard|special|character|central|synchron|util"
        r"|customi|capital|linear|neutral|emphas|formal|material|priorit|digit|hypothes|equal|harmon)"
        r"is(?:e[sdr]?|ers|ing|ations?|able)\b",
        "-ize, -ization",
    ),
    (r"\banalys(?:ed|e|ing)\b|\bparalys\w+", "analyze"),
    (
        r"\b(?:label|model|cancel|travel|signal|level|channel|total|tunnel)l(?:ed|ing|er)\b",
        "one l: labeled, modeled",
    ),
    (r"\b(?:centre[sd]?|metres?|fibres?|litres?|theatres?)\b", "-er: center"),
    (r"\bgr(?:ey|eys|eyed|eyish)\b", "gray"),
    (
        r"\b(?:learnt|spelt|burnt|dreamt|leapt|spoilt|whilst|amongst)\b",
        "-ed: learned; while, among",
    ),
    (
        r"\b(?:artefacts?|licences?|defences?|catalogues?|cheques?|programmes?|sceptic\w*|fulfil|judgement)\b",
        "US spelling",
    ),
)

# Words that stand in no public name; `tongue_tied`, `TongueTied` and `tongue.py` all hold the first.
FORBIDDEN_NAMES = MappingProxyType(
    {
        "anatomy": "trace",
        "band": "interval",
        "behaviour": "behavior",
        "blank": "space",
        "blanks": "spaces",
        "board": "service",
        "centre": "center",
        "colour": "color",
        "coloured": "colored",
        "colouring": "coloring",
        "colourings": "colorings",
        "colours": "colors",
        "cuts": "thresholds",
        "deeds": "actions",
        "desk": "context",
        "dissect": "trace",
        "draft": "upload",
        "drafts": "uploads",
        "endings": "stop_reasons",
        "film": "animation",
        "follower": "rank",
        "gauges": "metrics",
        "grey": "gray",
        "heat": "temperature",
        "hints": "flags",
        "learnt": "learned",
        "likeness": "similarity",
        "machine": "model (fine where it is a computer)",
        "neighbour": "neighbor",
        "neighbours": "neighbors",
        "newborn": "child",
        "normalise": "normalize",
        "normaliser": "logsumexp",
        "nursery": "fork_server",
        "optimiser": "optimizer",
        "pace": "throughput",
        "parting": "first_difference",
        "piece": "token",
        "pieces": "tokens",
        "pulse": "refresh",
        "realise": "realize",
        "rulebook": "logits_processors",
        "ruler": "truncation",
        "shelf": "table",
        "signs": "characters",
        "slip": "misalignment",
        "steer": "intervene",
        "steered": "intervened",
        "steering": "control",
        "stories": "tasks",
        "study": "profile",
        "telling": "templates",
        "tokenise": "tokenize",
        "tongue": "language",
        "tongues": "languages",
        "twin": "control_run",
        "twins": "control_runs",
        "usual": "default",
        "usually": "default",
        "versus": "comparison",
        "wishes": "requests",
    }
)

# Names that are wrong as a whole; the words in them are fine elsewhere.
FORBIDDEN_WHOLE = MappingProxyType(
    {
        "Ahead": "PreAddedBias",
        "Begun": "ForcedPrefix",
        "FlatModel": "FusedModel",
        "Folded": "AbsorbedCrossAttention",
        "Found": "SearchResult",
        "Heat": "Temperature",
        "How": "Intervention",
        "Kept": "StepRecord",
        "OWN": "a noun",
        "Past": "LayerCache",
        "Product": "PackedLinear",
        "Rules": "LogitsProcessors",
        "SAID": "a noun",
        "Seen": "DecoderContext",
        "USUALLY": "DEFAULT",
        "arrive": "read_from_url",
        "arrived": "from_url",
        "basis.py": "the noun on the screen",
        "before.py": "the noun on the screen",
        "facts.py": "the noun on the screen",
        "families": "sources",
        "hold": "write_to_url",
        "known.py": "the noun on the screen",
        "looking.py": "the noun on the screen",
        "offer": "propose_candidates",
        "strip.py": "the noun on the screen",
        "watching.py": "checkpoint_evaluation",
    }
)

# What is found there stays: (part of a path, kind or empty, pattern, why).
ALLOWED: tuple[tuple[str, str, str, str], ...] = (
    (
        "s2s/data/formats/column_names.py",
        "text",
        "licence",
        "a column name of other people's files",
    ),
    ("s2s/files/database.py", "text", "wishes", "a column of databases in use"),
    ("s2s/ui/data/views.py", "text", r"Pieces", "the name of a view in links"),
    ("s2s/words/terms/data.toml", "text", r"Pieces", "the name of a view in links"),
    ("tests/forbidden.py", "", r".*", "the list itself"),
)

# Words that the glossary must have wherever a screen uses them.
TECHNICAL: tuple[str, ...] = tuple(
    (
        "ablation|activation|agreement|ALiBi|alignment|attention|backward pass|BART|batch|"
        "beam|BLEU|bootstrap|BPE|byte|calibration|checkpoint|chrF|clipping|corpus|cosine|"
        "coverage|cross-attention|cross-entropy|CTranslate2|dataset|decoder|decoder-only|"
        "denoising|dimension|distribution|dot product|dropout|embedding|encoder|entropy|"
        "epoch|exact match|extrapolation|feed-forward|fine-tuning|FLOPs|forward pass|"
        "frontier|gradient|gradient norm|grammatical relation|greedy|Gumbel|hash|head|"
        "held-out|Hub|hypotheses|hypothesis|Jensen-Shannon|job|JSON|key|KV cache|"
        "label smoothing|layer|LayerNorm|learning rate|length penalty|log-probability|"
        "logarithmic|logit difference|logit lens|logits|loss|Marian|mask|matrix|median|"
        "memory|minimal pair|model error|monotonic|n-gram|nats|norm|norm-weighted|nucleus|"
        "optimizer|padding|parameters|PCA|Pegasus|perplexity|post-norm|pre-norm|"
        "pre-training|precision|preset|probability|projection|pruned|query|recipe|"
        "reference|relative|residual|RMSNorm|role|rollout|rotary|ROUGE|run|sampling|"
        "schedule|score|search error|seed|self-attention|signature|sink|sinusoidal|softmax|"
        "source|Spearman|standard deviation|step|sublayer|subword|sweep|target|"
        "teacher forcing|temperature|tensor|TER|thread|throughput|tied|token|tokenizer|"
        "top-k|top-p|unigram|unknown|validation|value|variance|vector|vocabulary|warmup|"
        "wavelength|weight decay|weights|Xavier"
    ).split("|")
)

# Keys of settings that need no entry: plain English, or explained in full by their own help.
PLAIN = frozenset(
    (
        "after_embeddings base beta1 beta2 brackets buckets constant control copies duplicates "
        "empty eos eps final_norm forces_end forces_first full_span keep kind layout "
        "length_formula markup max_distance max_length max_new_tokens max_ratio max_words "
        "min_new_tokens minutes n_heads n_layers noise_span none num_beam_groups "
        "num_return_sequences num_samples numbers offset overlap place processes renormalizes repair "
        "save_every script shared skip_padding src_first src_last src_template start std "
        "suppressed suppressed_first tgt_first turns valid_share validate_every"
    ).split()
)
