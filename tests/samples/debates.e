the member asks whether the road will be mended this year .
we shall not vote today , madam speaker .
