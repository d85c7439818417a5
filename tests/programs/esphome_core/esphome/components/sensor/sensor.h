/* A sensor whose state the test sets. */
#pragma once

#include <cmath>

namespace esphome::sensor {

struct Sensor {
    float state{NAN};
};

}  // namespace esphome::sensor
