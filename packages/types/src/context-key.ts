declare const valueType: unique symbol

/** Names a value of type `T` in a `Context`. Made by `contextKey()` of `@fw/core`. */
export interface ContextKey<T> {
  readonly name: string
  /** How to provide the value, shown when it is missing: "router.use(auth())". */
  readonly hint: string | undefined
  readonly [valueType]?: T
}

/** A class whose instances are kept in a `Context` under the class itself. */
export interface ContextClass<T> {
  readonly name: string
  /** How to provide the value, shown when it is missing. */
  readonly contextHint?: string
  readonly prototype: T
}

/** What a value in a `Context` is found by. */
export type ContextToken<T> = ContextKey<T> | ContextClass<T>
