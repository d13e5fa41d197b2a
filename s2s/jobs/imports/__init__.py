"""Opening a published model: what it will take, and the job that fetches it and makes a run of it."""
