import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { ProtocolText, Refusal } from '@fw/types'
import { NO_FIELD_LIMITS } from '../engine/semantics/field-limits.ts'
import { judgeRequestHead, type JudgedHead, type ReceivedHead } from '../engine/semantics/request-head.ts'
import { splitTarget } from '../engine/semantics/target-parts.ts'
import { rejectionStatus, type Rejected, type Verdict } from '../engine/semantics/verdict.ts'

type NodeRequest = IncomingMessage | Http2ServerRequest

export function nodeProtocol(request: NodeRequest): ProtocolText {
  return request.httpVersionMajor === 2 ? 'HTTP/2.0' : 'HTTP/1.1'
}

/** Checks a request that a Node.js server has accepted. Node.js checks neither hosts nor targets. */
export function judgeNodeRequest(request: NodeRequest): Verdict<JudgedHead> {
  const { method = '', url: target = '', headers } = request
  const isHttp2 = request.httpVersionMajor === 2
  const parts = splitTarget(method, target)
  const received: ReceivedHead = {
    version: isHttp2 ? '2' : request.httpVersion === '1.0' ? '1.0' : '1.1',
    method,
    target,
    scheme: isHttp2 && method !== 'CONNECT' ? headers[':scheme']?.toString() : parts.scheme,
    authority: isHttp2 ? headers[':authority']?.toString() : parts.authority,
    host: hostOf(request),
    path: parts.path,
    protocol: undefined,
    allowsProtocol: false,
    contentLength: headers['content-length'],
    isChunked: headers['transfer-encoding'] !== undefined,
    te: isHttp2 ? headers.te?.toString() : undefined,
    expect: headers.expect,
    fieldCount: 0,
  }
  return judgeRequestHead(received, NO_FIELD_LIMITS)
}

/** Returns the joined values of all `Host` fields. `headers.host` contains only the first one. */
function hostOf({ rawHeaders }: NodeRequest): string | undefined {
  const hosts = rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === 'host')
  return hosts.length === 0 ? undefined : hosts.join(', ')
}

/**
 * Responds to a request that no handler receives.
 *
 * @returns The refusal to log
 */
export function refuseNodeRequest(
  request: NodeRequest,
  response: ServerResponse | Http2ServerResponse,
  rejected: Rejected,
): Refusal {
  const status = rejectionStatus(rejected)
  // Close the connection, as a Node.js server does, because body bytes can follow.
  if (!('stream' in response)) response.setHeader('connection', 'close')
  response.statusCode = status
  response.end()
  const { method, url: target, socket } = request
  const { remoteAddress } = socket
  const protocol = nodeProtocol(request)
  return { status, reason: rejected.reason, protocol, remoteAddress, method, target, bodyBytes: 0, durationMs: 0 }
}
