import type { Context, Middleware } from '@fw/types'

/** A value whose properties are read-only at every depth. */
export type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

/** The data of a session. A new session has none, so every property can be absent. */
export type SessionData<Data extends object> = Frozen<Partial<Data>>

/** New values of properties. `undefined` removes a property. */
export type SessionChanges<Data extends object> = { readonly [Key in keyof Data]?: Frozen<Data[Key]> | undefined }

/** The session of a request. */
export interface Session<Data extends object> {
  /** The data, frozen at every depth: change it with `update()`. Empty for a new session. */
  readonly data: SessionData<Data>
  /**
   * Replaces properties, and begins a session if the client has none. Values must have a JSON form.
   *
   * A function receives the current data. It runs again if another request has changed the session in the meantime, so it
   * must have no other effect. An object replaces the values of the other request.
   *
   * @throws {Error} with the code `FW_RESPONSE_SENT` if the head of the response was sent
   * @throws {Error} with the code `FW_SESSION_TOO_LARGE` if a sealed session exceeds `maxCookieBytes`
   * @throws {TypeError} if a value has no JSON form
   *
   * @example
   * session.update({ user: 'ada' })
   * session.update(({ visits = 0 }) => ({ visits: visits + 1 }))
   */
  update(changes: SessionChanges<Data> | ((data: SessionData<Data>) => SessionChanges<Data>)): void
  /**
   * Moves the data to a new id and deletes the old one. Call it when the rights of the user change, such as after a login.
   * A sealed session has no id: it is only encrypted again. The absolute timeout continues.
   *
   * @throws {Error} with the code `FW_RESPONSE_SENT` if the head of the response was sent
   */
  rotate(): void
  /**
   * Deletes the session and its cookie. A later `update()` begins a new session. The copy of a sealed session that someone
   * else has remains valid until it expires.
   *
   * @throws {Error} with the code `FW_RESPONSE_SENT` if the head of the response was sent
   */
  destroy(): void
  /**
   * Saves the changes now. Call it before `startResponse()` and before event streams, whose heads leave before the
   * middleware saves. A sealed session is saved when the response head is sent.
   *
   * @throws {HttpError} 409 with the code `FW_SESSION_CONFLICT` if another request has destroyed or rotated the session, or
   * others changed it during each of 10 attempts
   * @throws the error of the store
   */
  save(): Promise<void>
}

/** Middleware that gives each request a session. */
export interface Sessions<Data extends object> extends Middleware {
  /**
   * Returns the session of a request, and reads it on the first call.
   *
   * @throws {Error} with the code `FW_MISSING_VALUE` if the middleware does not surround the route
   * @throws the error of the store
   */
  of(ctx: Context): Promise<Session<Data>>
}
