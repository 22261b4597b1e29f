import type { Limits } from '../../options/limits.ts'
import { ConnectionError, ErrorCode } from '../errors.ts'
import { DEFAULT_FRAME_BYTES, DEFAULT_WINDOW, MAX_WINDOW, Setting } from './frame-types.ts'
import { readUint32 } from './frame-reader.ts'

/** Bytes of one setting: 2 for its identifier, 4 for its value. */
const SETTING_BYTES = 6
/** Maximum number of settings in one frame. Clients send fewer than ten; nghttp2 has the same limit. */
const MAX_SETTINGS = 32
/** Default SETTINGS_HEADER_TABLE_SIZE, in bytes (RFC 9113 §6.5.2). */
const DEFAULT_TABLE_BYTES = 4096

/** Stores a client's settings, initially the defaults from RFC 9113 §6.5.2. */
export class ClientSettings {
  headerTableBytes: number = DEFAULT_TABLE_BYTES
  initialWindow: number = DEFAULT_WINDOW
  maxFrameBytes: number = DEFAULT_FRAME_BYTES
  maxConcurrentStreams: number = Infinity
  #minTableBytes: number = DEFAULT_TABLE_BYTES

  /**
   * Applies the payload of a SETTINGS frame, entry by entry.
   *
   * @throws {ConnectionError} FRAME_SIZE_ERROR for an invalid length, ENHANCE_YOUR_CALM for more than 32 settings, or the
   *   error that RFC 9113 §6.5.2 names for a value
   */
  read(bytes: Buffer, start: number, end: number): void {
    if ((end - start) % SETTING_BYTES !== 0) {
      throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, `SETTINGS of ${end - start} bytes`)
    }
    if (end - start > MAX_SETTINGS * SETTING_BYTES) {
      throw new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, `SETTINGS with more than ${MAX_SETTINGS} settings`)
    }
    for (let at = start; at < end; at += SETTING_BYTES) {
      this.#set(((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0), readUint32(bytes, at + 2))
    }
  }

  /** Returns the smallest `headerTableBytes` since the last call. */
  takeMinTableBytes(): number {
    const minBytes = this.#minTableBytes
    this.#minTableBytes = this.headerTableBytes
    return minBytes
  }

  #set(setting: number, value: number): void {
    switch (setting) {
      case Setting.HEADER_TABLE_SIZE:
        this.headerTableBytes = value
        this.#minTableBytes = Math.min(this.#minTableBytes, value)
        break
      case Setting.ENABLE_PUSH:
        if (value > 1) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `ENABLE_PUSH is ${value}`)
        break
      case Setting.MAX_CONCURRENT_STREAMS:
        this.maxConcurrentStreams = value
        break
      case Setting.INITIAL_WINDOW_SIZE:
        if (value > MAX_WINDOW)
          throw new ConnectionError(ErrorCode.FLOW_CONTROL_ERROR, `INITIAL_WINDOW_SIZE is ${value}`)
        this.initialWindow = value
        break
      case Setting.MAX_FRAME_SIZE:
        if (value < DEFAULT_FRAME_BYTES || value >= 2 ** 24) {
          throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `MAX_FRAME_SIZE is ${value}`)
        }
        this.maxFrameBytes = value
        break
      case Setting.NO_RFC7540_PRIORITIES:
        if (value > 1) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `NO_RFC7540_PRIORITIES is ${value}`)
        break
      // Ignore unknown settings, MAX_HEADER_LIST_SIZE, which is advisory, and ENABLE_CONNECT_PROTOCOL, which only a server
      // can offer (RFC 8441 §3).
      default:
    }
  }
}

/**
 * Returns the payload of the server's SETTINGS frame for these limits. Disables server push.
 *
 * @param allowsTunnels Whether clients may send extended CONNECT. RFC 8441 §3: it must not be withdrawn later
 */
export function serverSettings(limits: Limits, allowsTunnels: boolean = false): Buffer {
  const settings: [setting: number, value: number][] = [
    [Setting.ENABLE_PUSH, 0],
    [Setting.MAX_CONCURRENT_STREAMS, limits.maxConcurrentStreams],
    [Setting.MAX_HEADER_LIST_SIZE, limits.maxHeadBytes],
    [Setting.NO_RFC7540_PRIORITIES, 1],
  ]
  if (allowsTunnels) settings.push([Setting.ENABLE_CONNECT_PROTOCOL, 1])
  const payload = Buffer.alloc(settings.length * SETTING_BYTES)
  settings.forEach(([setting, value], index) => {
    payload.writeUInt16BE(setting, index * SETTING_BYTES)
    payload.writeUInt32BE(value, index * SETTING_BYTES + 2)
  })
  return payload
}
