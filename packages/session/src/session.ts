import type { Context, Middleware } from '@fw/types'

/** A value whose properties are read-only at every depth. */
export type Frozen<T> = T extends object ? { readonly [Key in keyof T]: Frozen<T[Key]> } : T

/** The data of a session. A new session is empty, so every property can be absent. */
export type SessionData<Data extends object> = Frozen<Partial<Data>>

/** New property values. `undefined` removes a property. */
export type SessionChanges<Data extends object> = { readonly [Key in keyof Data]?: Frozen<Data[Key]> | undefined }

/** The session of a request. */
export interface Session<Data extends object> {
  /** The data, frozen at every depth. Change it with `update()`. Empty for a new session. */
  readonly data: SessionData<Data>
  /**
   * Replaces properties. Begins a session if the client does not have one. Values must have a JSON form.
   *
   * A function receives the current data. It runs again if another request has changed the session in the meantime, so it must
   * not have side effects. An object overwrites the values from the other request.
   *
   * @throws {Error} with the code `FW_RESPONSE_SENT` if the response head was already sent
   * @throws {Error} with the code `FW_SESSION_TOO_LARGE` if a sealed session exceeds `maxCookieBytes`
   * @throws {TypeError} if a value has no JSON form
   *
   * @example
   * session.update({ user: 'ada' })
   * session.update(({ visits = 0 }) => ({ visits: visits + 1 }))
   */
  update(changes: SessionChanges<Data> | ((data: SessionData<Data>) => SessionChanges<Data>)): void
  /**
   * Moves the data to a new ID and deletes the old one. Call it when the rights of the user change, such as after a login. A
   * sealed session has no ID and is only encrypted again. The absolute timeout continues.
   *
   * @throws {Error} with the code `FW_RESPONSE_SENT` if the response head was already sent
   */
  rotate(): void
  /**
   * Deletes the session and its cookie. A later `update()` begins a new session. A copy of a sealed session remains valid until
   * it expires.
   *
   * @throws {Error} with the code `FW_RESPONSE_SENT` if the response head was already sent
   */
  destroy(): void
  /**
   * Saves the changes immediately. Call it before `startResponse()` and before event streams, because their heads are sent
   * before the middleware saves. A sealed session is saved when the response head is sent.
   *
   * @throws {HttpError} 409 with the code `FW_SESSION_CONFLICT` if another request has destroyed or rotated the session, or if
   * 10 attempts conflicted with changes from other requests
   * @throws the error from the store
   */
  save(): Promise<void>
}

/** Middleware that provides a session for each request. */
export interface Sessions<Data extends object> extends Middleware {
  /**
   * Returns the session of a request. Reads the session on the first call.
   *
   * @throws {Error} with the code `FW_MISSING_VALUE` if the route does not use the middleware
   * @throws the error from the store
   */
  of(ctx: Context): Promise<Session<Data>>
}
