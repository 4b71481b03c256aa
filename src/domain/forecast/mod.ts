/** How many certificates have to be renewed. Loaded when it is first asked for, apart from the parameters. */

export { Forecast, FORECAST_GROUPS, FORECAST_PARAMETERS, monthName, readForecastQuery } from "./query.ts";

/** Loads {@link forecast}, {@link renewalRates} and {@link forecastDocument}. */
export function loadForecast(): Promise<typeof import("./forecast.ts")> {
  return import("./forecast.ts");
}
