"""What a run will cost and reach, before it is trained: forecast, calibration, advice, recommendation, expected
quality.
"""
