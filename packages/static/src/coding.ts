/** A content coding that a file may be stored in (RFC 9110 §8.4.1; zstd: RFC 8878 §7.2). */
export type Coding = 'identity' | 'gzip' | 'br' | 'zstd'
