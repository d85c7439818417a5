/* A microphone whose samples the test supplies. */
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace esphome::microphone {

class MicrophoneSource {
 public:
    void add_data_callback(std::function<void(const std::vector<uint8_t> &)> callback) { this->callback = callback; }
    void start() { this->started++; }
    void stop() { this->started--; }
    std::function<void(const std::vector<uint8_t> &)> callback;
    int started{0};
};

}  // namespace esphome::microphone
