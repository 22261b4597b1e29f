import { showValue } from '@fw/options'

/**
 * What the events of a stream or a channel carry, by name: `{ tick: number; user: User }`. Without such a type any name
 * may carry anything.
 */
export type SseEvents = Record<string, unknown>

/** The names that events may have. */
export type EventName<Events extends object> = keyof Events & string

/** Turns a value into the data of an event, for example a function compiled from a schema. */
export type Serializer<T> = (value: T) => string

/** Serializers by the names of events. */
export type Serializers<Events extends object> = {
  // The form of a method, so that where names may carry anything a serializer can still ask for what it knows.
  readonly [Name in keyof Events]?: { serialize(value: Events[Name]): string }['serialize']
}

/**
 * Turns a value into the data of an event.
 *
 * @param api The function that was called; begins every error
 * @throws {TypeError} if the value has no JSON form; what `serialize` throws
 */
export function toData<T>(api: string, value: T, serialize: (value: T) => unknown = JSON.stringify): string {
  const text = serialize(value)
  if (typeof text === 'string') return text
  throw new TypeError(
    serialize === JSON.stringify
      ? `${api}: value must have a JSON form, got ${showValue(value)}.`
      : `${api}: the serializer must return a string, got ${showValue(text)}.`,
  )
}
