/** Type in which members that may be undefined are optional, as `exactOptionalPropertyTypes` requires. */
type WithoutUndefined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** Copies an object without its undefined members. Null members are copied. */
export function omitUndefined<Members extends object>(members: Members): WithoutUndefined<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<Members>;
}
