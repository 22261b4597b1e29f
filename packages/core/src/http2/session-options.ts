import type { ServerSessionOptions } from 'node:http2'
import type { Limits } from '../limits.ts'
import { FIELD_OVERHEAD_BYTES } from './request-head.ts'

/** Memory for one session in MB, the unit of `node:http2`. */
const SESSION_MEMORY_MB = 10
/** Frames that break the protocol before a session is closed (CVE-2019-9514 and its like). */
const MAX_INVALID_FRAMES = 100
/**
 * How much more than it may send a client can send and still be told so with 431. Beyond, nghttp2 resets the stream and
 * nobody is told. Also what is announced as SETTINGS_MAX_HEADER_LIST_SIZE, which is advice (RFC 9113 §6.5.2).
 */
const JUDGED_HEAD_FACTOR = 4

/** What `node:http2` is to enforce by itself, for what it never shows us. */
export function sessionOptions(limits: Limits): ServerSessionOptions {
  const maxHeaderListSize = Math.min(limits.maxHeadBytes * JUDGED_HEAD_FACTOR, 2 ** 32 - 1)
  return {
    settings: { enablePush: false, maxConcurrentStreams: limits.maxConcurrentStreams, maxHeaderListSize },
    // As many as the size lets through: whoever has too many small fields is answered too.
    maxHeaderListPairs: Math.ceil(maxHeaderListSize / FIELD_OVERHEAD_BYTES),
    maxSessionMemory: SESSION_MEMORY_MB,
    maxSessionInvalidFrames: MAX_INVALID_FRAMES,
    streamResetBurst: limits.maxStreamResetBurst,
    streamResetRate: limits.maxStreamResetsPerSecond,
    // Which fields may be given twice is the application's affair, as it is on HTTP/1.1.
    strictSingleValueFields: false,
  }
}
