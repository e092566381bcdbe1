/** One picture of `docs/what-people-see.md`. */
export interface Picture {
  /** File name without the extension. */
  readonly name: string;
  /** Description of the picture for people who cannot see it. */
  readonly alt: string;
  /** Text above the picture. */
  readonly words: string;
  /** Files of `templates/` that it demonstrates. */
  readonly templates: readonly string[];
}

export interface PictureSection<P extends Picture = Picture> {
  readonly title: string;
  readonly pictures: readonly P[];
}
