/** Frame types (RFC 9113 §6). */
export const FrameType = {
  DATA: 0x0,
  HEADERS: 0x1,
  PRIORITY: 0x2,
  RST_STREAM: 0x3,
  SETTINGS: 0x4,
  PUSH_PROMISE: 0x5,
  PING: 0x6,
  GOAWAY: 0x7,
  WINDOW_UPDATE: 0x8,
  CONTINUATION: 0x9,
  /** RFC 9218 §7.1. */
  PRIORITY_UPDATE: 0x10,
} as const

/** Flags of a frame. The meaning of a bit depends on the frame type. */
export const Flag = { ACK: 0x1, END_STREAM: 0x1, END_HEADERS: 0x4, PADDED: 0x8, PRIORITY: 0x20 } as const

/** Identifiers of settings (RFC 9113 §6.5.2). */
export const Setting = {
  HEADER_TABLE_SIZE: 0x1,
  ENABLE_PUSH: 0x2,
  MAX_CONCURRENT_STREAMS: 0x3,
  INITIAL_WINDOW_SIZE: 0x4,
  MAX_FRAME_SIZE: 0x5,
  MAX_HEADER_LIST_SIZE: 0x6,
  /** RFC 8441 §3. */
  ENABLE_CONNECT_PROTOCOL: 0x8,
  /** RFC 9218 §2.1. */
  NO_RFC7540_PRIORITIES: 0x9,
} as const

/** Bytes of the frame header: length, type, flags, stream identifier (RFC 9113 §4.1). */
export const FRAME_HEAD_BYTES = 9
/** Default SETTINGS_MAX_FRAME_SIZE, in bytes: the longest payload that the server sends or accepts (RFC 9113 §4.2). */
export const DEFAULT_FRAME_BYTES = 16_384
/** Initial flow-control window, in bytes (RFC 9113 §6.9.2). */
export const DEFAULT_WINDOW = 65_535
/** Maximum flow-control window, in bytes (RFC 9113 §6.9.1). */
export const MAX_WINDOW: number = 2 ** 31 - 1
/** Highest stream identifier (RFC 9113 §5.1.1). */
export const MAX_STREAM_ID: number = 2 ** 31 - 1
