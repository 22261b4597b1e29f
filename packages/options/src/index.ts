import './node-version.ts'
export { checkOptions } from './check-options.ts'
export {
  anything,
  either,
  fieldName,
  flag,
  func,
  instanceOf,
  integer,
  listOf,
  number,
  object,
  objectWith,
  oneOf,
  type OptionKind,
  type OptionKinds,
  options,
  secret,
  text,
  withFix,
} from './kinds.ts'
export { HttpError } from './http-error.ts'
export { type Coded, type FwErrorCode, withCode } from './error-code.ts'
export { declareRouteOption, declaredRouteOptions } from './route-options.ts'
export { origin } from './origin.ts'
export { type InvalidOption, type OptionError, optionError } from './option-error.ts'
export { showType, showValue } from './show-value.ts'
