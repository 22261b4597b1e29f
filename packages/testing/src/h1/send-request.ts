import type { Socket } from 'node:net'
import type { ClientRequest } from '../client.ts'
import { drained } from '../drained.ts'
import { bodySlices, expectsContinue } from '../request-body.ts'
import { encodeChunk, encodeLastChunk, encodeRequest } from './encode-request.ts'

/** Request that is being sent. Its response can end before the request. */
export interface SentRequest {
  /** Whether the last byte has been written to the socket. */
  readonly isComplete: boolean
  /** Sends the body that has waited for a 100 response. */
  continue(): void
}

/** Sends a request with backpressure from the socket. If the body throws, destroys the socket with that error. */
export function sendRequest(socket: Socket, request: ClientRequest, authority: string): SentRequest {
  const { promise: permission, resolve: permit } = Promise.withResolvers<void>()
  const sent = { isComplete: false, continue: permit }
  if (!expectsContinue(request)) permit()

  const send = async (): Promise<void> => {
    const { head, isChunked } = encodeRequest(request, authority)
    socket.write(head)
    await permission
    for await (const slice of bodySlices(request.body)) {
      if (socket.destroyed) return
      if (!socket.write(isChunked ? encodeChunk(slice) : slice)) await drained(socket)
    }
    if (isChunked) socket.write(encodeLastChunk(request.trailers ?? []))
    sent.isComplete = true
  }
  send().catch((error: Error) => socket.destroy(error))
  return sent
}
