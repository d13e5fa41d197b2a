"""The languages whose tokens follow the SentencePiece vocabulary in mBART, mBART-50 and M2M100, in the order of ids;
and the form of every family's language tokens.
"""

import re

MBART = tuple(
    (
        "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP"
        " nl_XX ro_RO ru_RU si_LK tr_TR vi_VN zh_CN"
    ).split()
)
MBART50 = (
    *MBART,
    *(
        "af_ZA az_AZ bn_IN fa_IR he_IL hr_HR id_ID ka_GE km_KH mk_MK ml_IN mn_MN mr_IN pl_PL ps_AF pt_XX sv_SE sw_KE"
        " ta_IN te_IN th_TH tl_XX uk_UA ur_PK xh_ZA gl_ES sl_SI"
    ).split(),
)
M2M100 = tuple(
    (
        "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu"
        " hy id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt"
        " ro ru sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu"
    ).split()
)
WMT21 = ("en", "ha", "is", "ja", "cs", "ru", "zh", "de")
# M2M100, mBART, NLLB, Marian
LANGUAGE_TOKEN = re.compile(r"__[a-z]{2,3}__|[a-z]{2}_[A-Z]{2}|[a-z]{3}_[A-Z][a-z]{3}|>>.+<<")


def is_language_token(token: str) -> bool:
    """Whether a token names a language, and is no text.

    >>> [token for token in ("__fr__", "en_XX", "eng_Latn", ">>fra<<", "▁en_XX", "fr") if is_language_token(token)]
    ['__fr__', 'en_XX', 'eng_Latn', '>>fra<<']
    """
    return LANGUAGE_TOKEN.fullmatch(token) is not None
