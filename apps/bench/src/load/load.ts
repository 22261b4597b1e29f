import type { LoadRequest, LoadShape } from '../http/scenario.ts'

/** Where load goes, and what it is. */
export interface LoadTarget {
  readonly port: number
  readonly isTls: boolean
  readonly request: LoadRequest
  readonly shape: LoadShape
  /** For files of the load generator. */
  readonly folder: string
}

/** What a time of load brought. Every request was answered as expected, as far as the generator looks. */
export interface Load {
  readonly requests: number
  readonly seconds: number
  /** Bytes that were received, if the generator counts them as they are on HTTP/1.1. */
  readonly bytes?: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Runs load against a target. @throws {Error} if any request failed or was not answered as expected */
export type LoadGenerator = (target: LoadTarget, seconds: number) => Promise<Load>

export function urlOf({ port, isTls, request }: LoadTarget): string {
  return `${isTls ? 'https' : 'http'}://127.0.0.1:${port}${request.path}`
}
