/**
 * Key of a context value that asks inner middleware and handlers for a body without a content coding: the middleware that set it
 * encodes the body itself. `@fw/static` then sends a file instead of its sidecar.
 *
 * @example
 * ctx.set(PlainBody, new PlainBody('dcz'))
 */
export class PlainBody {
  /** The content coding that the middleware intends to apply. */
  readonly coding: string

  constructor(coding: string) {
    this.coding = coding
  }
}
