import type { AnyNodeHandler } from './node-call.ts'
import { NodeRequest } from './node-request.ts'
import { NodeResponse } from './node-response.ts'

const REQUEST_MEMBERS = Object.getOwnPropertyDescriptors(NodeRequest.prototype)
const RESPONSE_MEMBERS = Object.getOwnPropertyDescriptors(NodeResponse.prototype)

/**
 * Reports whether a handler is an Express application. It replaces the prototypes of the request and the response, and with them
 * the methods of this package.
 */
export function isExpressApplication(handler: object): boolean {
  return 'request' in handler && 'response' in handler && 'handle' in handler
}

/** Calls an Express application with a request and a response whose own members survive the change of their prototypes. */
export function withOwnMembers(handler: AnyNodeHandler): AnyNodeHandler {
  return (request, response, next) => {
    if (!Object.hasOwn(response, '_implicitHeader')) {
      Object.defineProperties(request, REQUEST_MEMBERS)
      for (const [name, descriptor] of Object.entries(RESPONSE_MEMBERS)) {
        // Keep the methods that middleware has replaced.
        if (!Object.hasOwn(response, name)) Object.defineProperty(response, name, descriptor)
      }
    }
    return handler(request, response, next)
  }
}
