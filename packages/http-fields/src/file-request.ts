/**
 * Key of a context value with which middleware asks inner handlers about the file that they send. `@fw/static` reads and fills it.
 *
 * @example
 * ctx.set(FileRequest, new FileRequest(true))
 */
export class FileRequest {
  /**
   * Whether to send the file instead of its sidecar, because the middleware encodes it. Files that are not read into memory are
   * still sent as their sidecar.
   */
  readonly isPlain: boolean
  /** The file of a response with status 200. The handler sets it before it sends the response. */
  sent: SentFile | undefined = undefined

  constructor(isPlain: boolean) {
    this.isPlain = isPlain
  }
}

/** A file that is sent as a response. */
export interface SentFile {
  /** Absolute path, without the suffix of a sidecar. */
  readonly path: string
  /** Length of the body in bytes. */
  readonly lengthBytes: number
  /** The body; `undefined` if it is streamed, or not sent because of HEAD. */
  readonly bytes: Uint8Array | undefined
  /** The sidecar that `isPlain` replaced by the file. */
  readonly sidecar: Sidecar | undefined
}

/** A compressed copy of a file. */
export interface Sidecar {
  /** Content coding. */
  readonly coding: string
  /** Length in bytes. */
  readonly lengthBytes: number
  /** Entity tag with its quotes; `undefined` if none is sent. */
  readonly etag: string | undefined
  /** Reads the sidecar. Returns `undefined` if it is not available or has changed. */
  read(): Promise<Uint8Array | undefined>
}
