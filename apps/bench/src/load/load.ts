import type { LoadRequest, LoadShape } from '../http/scenario.ts'

/** The server and the request for a load. */
export interface LoadTarget {
  readonly port: number
  readonly isTls: boolean
  readonly request: LoadRequest
  readonly shape: LoadShape
  /** Folder for the load generator's files. */
  readonly folder: string
}

/** The result of a load. Every response was as expected, as far as the load generator checks it. */
export interface Load {
  readonly requests: number
  readonly seconds: number
  /** Received bytes, if the load generator counts them. */
  readonly bytes?: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Generates load for a number of seconds. @throws {Error} if a request fails or has an unexpected response */
export type LoadGenerator = (target: LoadTarget, seconds: number) => Promise<Load>

export function urlOf({ port, isTls, request }: LoadTarget): string {
  return `${isTls ? 'https' : 'http'}://127.0.0.1:${port}${request.path}`
}
