import type { Socket } from 'node:net'
import type { ClientRequest } from '../client.ts'
import { drained } from '../drained.ts'
import { bodySlices, expectsContinue } from '../request-body.ts'
import { encodeChunk, encodeLastChunk, encodeRequest } from './encode-request.ts'

/** A request on its way, which the response may overtake. */
export interface SentRequest {
  /** Whether the last byte has been given to the socket. */
  readonly isComplete: boolean
  /** Lets a body go that waits for a 100. */
  continue(): void
}

/** Sends a request as fast as the socket takes it. A body that throws breaks the connection with its error. */
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
