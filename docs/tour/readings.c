#include <stdio.h>
#include "tour.h"

int main(void)
{
    const float readings[tour_INPUT_LENGTH] = {0.25f, -0.5f, 0.75f, 0.125f};
    for (uint16_t i = 0; i < tour_INPUT_LENGTH; i++)
        tour_set(i, readings[i]);
    const int16_t label = tour_run();
    printf("class %d, scores", label);
    for (uint16_t i = 0; i < tour_OUTPUT_LENGTH; i++)
        printf(" %.4f", tour_score(i));
    printf("\n");
    return 0;
}
