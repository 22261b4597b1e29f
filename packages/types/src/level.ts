/** Severity: Trace 0, Debug 1, Info 2, Warn 3, Error 4, Fatal 5. As a threshold, 6 (Off) lets nothing through. */
export type LevelNumber = 0 | 1 | 2 | 3 | 4 | 5 | 6
