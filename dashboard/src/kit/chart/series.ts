/** What a chart is given. */
export type Series = {
  label: string;
  /** A token of the theme, such as `--color-done`. */
  color: string;
  values: readonly (number | null)[];
  /** Drawn as an area on top of the stacked ones before it. */
  stacked?: boolean;
  /** Drawn as dots: for values that stand by themselves. */
  dots?: boolean;
};

export type ChartProps = {
  /** What is shown, in words: the table's caption. */
  title: string;
  /** Seconds since 1970, rising. */
  times: readonly number[];
  series: readonly Series[];
  height?: number;
  format?: (value: number) => string;
};
