/* Triggers whose automation is a function of the test. */
#pragma once

#include <functional>

namespace esphome {

template <typename... Ts> class Trigger {
 public:
    void trigger(const Ts &...values)
    {
        if (this->does)
            this->does(values...);
    }
    std::function<void(Ts...)> does;
};

}  // namespace esphome
